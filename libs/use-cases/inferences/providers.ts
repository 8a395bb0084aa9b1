import { GiveFeedbackHandler } from './commands/give-feedback.js';
import { EraseCallsHandler, EraseContentHandler, EraseSubjectHandler } from './commands/erase.js';
import { ExportInferencesHandler } from './queries/export.js';
import { History } from './history.js';
import { ImportInferencesHandler } from './commands/import.js';
import { Learned } from './learned.js';
import {
  GetAgreementHandler,
  GetFeedbackHandler,
  GetInferenceHandler,
  GetWholeInferenceHandler,
  ListInferencesHandler,
} from './queries/inferences.js';
import { RecordReader } from './record-reader.js';
import { GetInferenceStatsHandler } from './queries/stats.js';

export const INFERENCES = [
  EraseContentHandler,
  EraseCallsHandler,
  EraseSubjectHandler,
  ExportInferencesHandler,
  GetAgreementHandler,
  GetFeedbackHandler,
  GetInferenceHandler,
  GetInferenceStatsHandler,
  GetWholeInferenceHandler,
  GiveFeedbackHandler,
  History,
  ImportInferencesHandler,
  Learned,
  ListInferencesHandler,
  RecordReader,
];
