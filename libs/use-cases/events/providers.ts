import { LogReader } from './log-reader.js';
import { ReadEventsHandler } from './queries.js';
import { ReadLogHandler } from './read-log.js';

export const EVENTS = [LogReader, ReadEventsHandler, ReadLogHandler];
