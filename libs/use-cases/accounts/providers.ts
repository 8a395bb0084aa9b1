import { CreateApiKeyHandler, LimitApiKeyHandler, RevokeApiKeyHandler } from './commands/keys.js';
import { SetPasswordHandler, SignOutHandler, SwitchWorkspaceHandler } from './commands/session.js';
import { SignInByLinkHandler } from './commands/sign-in-by-link.js';
import { SignInByProviderHandler } from './commands/sign-in-by-provider.js';
import { SignInHandler } from './commands/sign-in.js';
import { ListApiKeysHandler } from './queries/keys.js';
import { GetSessionHandler } from './queries/session.js';

export const ACCOUNTS = [
  CreateApiKeyHandler,
  GetSessionHandler,
  LimitApiKeyHandler,
  ListApiKeysHandler,
  RevokeApiKeyHandler,
  SetPasswordHandler,
  SignInByLinkHandler,
  SignInByProviderHandler,
  SignInHandler,
  SignOutHandler,
  SwitchWorkspaceHandler,
];
