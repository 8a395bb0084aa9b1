import { LogReader } from './log-reader.js';
import { FollowEventsHandler } from './queries/follow.js';
import { ReadEventsHandler } from './queries/stream.js';
import { ReadLogHandler } from './queries/log.js';

export const EVENTS = [FollowEventsHandler, LogReader, ReadEventsHandler, ReadLogHandler];
