import { GiveFeedbackHandler } from './commands.js';
import { EraseContentHandler, EraseSubjectHandler } from './erasure.js';
import { ExportInferencesHandler } from './export.js';
import { History } from './history.js';
import { ImportInferencesHandler } from './import.js';
import { Learned } from './learned.js';
import { GetAgreementHandler, GetFeedbackHandler, GetInferenceHandler, ListInferencesHandler } from './queries.js';
import { RecordReader } from './record-reader.js';
import { GetInferenceStatsHandler } from './stats.js';

export const INFERENCES = [
  EraseContentHandler,
  EraseSubjectHandler,
  ExportInferencesHandler,
  GetAgreementHandler,
  GetFeedbackHandler,
  GetInferenceHandler,
  GetInferenceStatsHandler,
  GiveFeedbackHandler,
  History,
  ImportInferencesHandler,
  Learned,
  ListInferencesHandler,
  RecordReader,
];
