/** The commands, in the order in which help lists them. */

import { certs } from "./certs.ts";
import type { Command } from "./command.ts";
import { completionCommand } from "./completion.ts";
import { doctor } from "./doctor.ts";
import { drift } from "./drift.ts";
import { explain } from "./explain.ts";
import { helpCommand } from "./help.ts";
import { inject } from "./inject.ts";
import { lint } from "./lint.ts";
import { playground } from "./playground.ts";
import { probe } from "./probe.ts";
import { render } from "./render.ts";
import { replay } from "./replay.ts";
import { serve } from "./serve.ts";
import { tag } from "./tag.ts";
import { uninject } from "./uninject.ts";
import { version } from "./version.ts";
import { webhook } from "./webhook.ts";

export const commands: readonly Command[] = [
  inject,
  uninject,
  explain,
  lint,
  serve,
  webhook,
  tag,
  certs,
  render,
  doctor,
  drift,
  replay,
  playground,
  probe,
  completionCommand(() => commands),
  version,
  helpCommand(() => commands),
];
