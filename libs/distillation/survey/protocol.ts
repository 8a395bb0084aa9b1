import type { RowsOrder, TaughtRows } from '../rows.js';
import type { Survey } from './survey.js';

/** With an order: rows are made; without one: calls are surveyed. */
export interface SurveyJob {
  readonly order?: RowsOrder;
}

/** The last message of the process that makes rows. */
export interface RowsMessage {
  readonly rows: TaughtRows;
}

/** The last message of the process that surveys calls. */
export interface SurveyMessage {
  readonly survey: Survey;
}
