import { SetDataUseHandler } from './commands.js';
import { GetAccountHandler, ListLedgerHandler, ListUsageHandler } from './queries.js';

export const BILLING = [GetAccountHandler, ListLedgerHandler, ListUsageHandler, SetDataUseHandler];
