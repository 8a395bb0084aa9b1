import { Module } from '@nestjs/common';
import { BillingController } from './billing.controller.js';
import { SetDataUseHandler } from './commands.js';
import { GetAccountHandler, ListLedgerHandler, ListUsageHandler } from './queries.js';

@Module({
  controllers: [BillingController],
  providers: [GetAccountHandler, ListUsageHandler, ListLedgerHandler, SetDataUseHandler],
})
export class BillingModule {}
