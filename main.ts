/** The program: hands the machine to the command line, and its answer back as the exit code. */

import { runCli } from "./lib/cli/mod.ts";
import { createHost } from "./lib/host/mod.ts";

const host = createHost();
host.setExitCode(await runCli(host.args, host));
