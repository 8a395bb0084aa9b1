import type { Survey } from './survey.js';

/** The last message of the process that surveys calls. */
export interface SurveyMessage {
  readonly survey: Survey;
}
