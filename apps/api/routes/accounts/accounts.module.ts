import { Module } from '@nestjs/common';
import { CreateApiKeyHandler, RevokeApiKeyHandler } from './commands.js';
import { KeysController } from './keys.controller.js';
import { PagesController } from './pages.controller.js';
import { ListApiKeysHandler } from './queries.js';
import { SessionController } from './session.controller.js';

@Module({
  controllers: [KeysController, SessionController, PagesController],
  providers: [CreateApiKeyHandler, RevokeApiKeyHandler, ListApiKeysHandler],
})
export class AccountsModule {}
