import { CreateApiKeyHandler, RevokeApiKeyHandler } from './commands.js';
import { ListApiKeysHandler } from './queries.js';

export const ACCOUNTS = [CreateApiKeyHandler, ListApiKeysHandler, RevokeApiKeyHandler];
