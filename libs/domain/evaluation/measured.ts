import { datasetsHeldOutWhole, type DatasetPin } from '../training-job/index.js';
import type { EvaluationRequest } from './events.js';

/** The dataset that an evaluation is named after: the one that its job holds out whole, or else its first one. */
export const measuredDataset = ({
  datasets,
  heldOut,
}: Pick<EvaluationRequest, 'datasets' | 'heldOut'>): DatasetPin | undefined =>
  (heldOut ? datasetsHeldOutWhole(datasets, heldOut)[0] : undefined) ?? datasets[0];
