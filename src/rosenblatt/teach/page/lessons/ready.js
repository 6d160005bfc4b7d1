// The ready lessons: five, one a lecture, and two more.

import { beyondLesson } from "./beyond.js";
import { ece146 } from "./ece146.js";
import { kernels } from "./kernels.js";
import { lecture25 } from "./lecture25.js";
import { notebook } from "./notebook.js";
import { online } from "./online.js";
import { proofLesson } from "./proof.js";

/** The lessons by name; a state has what `packState` returns. */
export const READY = {
  proof: proofLesson,
  lecture25,
  online,
  kernels,
  ece146,
  notebook,
  beyond: beyondLesson,
};
