/** A step of the task `compile`: writes the page's scripts, bundled, to the file that is named. */
import { createHost } from "../../host/mod.ts";
import { buildScripts, packScripts } from "./page_scripts.ts";

const host = createHost();
await host.writeFile(host.args[0], await packScripts(await buildScripts()));
