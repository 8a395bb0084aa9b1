import type { Application } from '#application/application.js';
import type { DistillationRequest } from '#domain/distillation/index.js';
import { policyOf, type ImprovementPolicy } from '#domain/improvement/index.js';
import type { NamedModel } from '#domain/model/index.js';
import { correctedCalls } from '../improvements/corrected-calls.js';

type NameAtRequest = Required<Pick<DistillationRequest, 'inUse' | 'corrections'>> & Pick<ImprovementPolicy, 'budget'>;

/** What a distillation's request says of its name. */
export const nameAtRequest = async (
  application: Application,
  { workspaceId, name, inUse, policy }: NamedModel,
): Promise<NameAtRequest> => ({
  ...{ inUse, budget: policyOf(policy).budget },
  corrections: await correctedCalls(application, workspaceId, { modelKey: name, task: 'generate' }),
});
