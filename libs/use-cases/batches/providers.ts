import { CancelBatchHandler, CreateBatchHandler } from './commands.js';
import { GetBatchHandler, ListBatchesHandler } from './queries.js';

export const BATCHES = [CancelBatchHandler, CreateBatchHandler, GetBatchHandler, ListBatchesHandler];
