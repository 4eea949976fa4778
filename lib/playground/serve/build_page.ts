/** A step of the task `compile`: bundles the page's scripts into the given file. */
import { createHost } from "../../host/mod.ts";
import { buildScripts, packScripts } from "./page_scripts.ts";

const host = createHost();
await host.writeFile(host.args[0], await packScripts(await buildScripts()));
