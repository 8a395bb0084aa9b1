import { Module } from '@nestjs/common';
import { Settings } from '#settings/index.js';
import { OidcController } from './oidc.controller.js';
import { OidcProvider } from './provider.js';

/** Only if the settings name a provider. */
@Module({
  controllers: [OidcController],
  providers: [
    { provide: OidcProvider, inject: [Settings], useFactory: (settings: Settings) => new OidcProvider(settings) },
  ],
})
export class OidcModule {}
