import type { CommandType } from '../commands-and-queries.js';
import { DeleteDataset, DeleteVersion } from '../datasets/commands/delete.js';
import { EraseVersion } from '../datasets/commands/erase.js';
import { DeleteEvaluation } from '../evaluations/commands/delete.js';
import { ForceGate } from '../improvements/commands/change.js';
import { EraseGeneration } from '../generation/commands/erase.js';
import { EraseCalls, EraseContent } from '../inferences/commands/erase.js';
import { ChangeModel, DeleteNamedModel, RollBackModel } from '../models/commands.js';
import { DeleteProject } from '../projects/commands.js';
import { SetRetention } from '../retention/commands.js';
import { DeleteTrainingJob } from '../training-jobs/commands/delete.js';
import { EraseMember, SetTwoPeople } from '../workspace/commands.js';

/** Commands that proposals hold, by the names that events have: each has an `actOf`. */
export const PROPOSED_COMMANDS: Readonly<Record<string, CommandType<unknown, unknown>>> = {
  'change-model': ChangeModel,
  'roll-back-model': RollBackModel,
  'force-gate': ForceGate,
  'erase-content': EraseContent,
  'erase-calls': EraseCalls,
  'erase-version': EraseVersion,
  'erase-generation': EraseGeneration,
  'erase-member': EraseMember,
  'set-retention': SetRetention,
  'delete-model': DeleteNamedModel,
  'delete-dataset': DeleteDataset,
  'delete-version': DeleteVersion,
  'delete-training-job': DeleteTrainingJob,
  'delete-evaluation': DeleteEvaluation,
  'delete-project': DeleteProject,
  'set-two-people': SetTwoPeople,
} as Record<string, unknown> as Record<string, CommandType<unknown, unknown>>;
