import { PlaceHoldHandler, ReleaseHoldHandler, SetRetentionHandler } from './commands.js';
import { GetRetentionHandler } from './queries.js';

export const RETENTION = [GetRetentionHandler, PlaceHoldHandler, ReleaseHoldHandler, SetRetentionHandler];
