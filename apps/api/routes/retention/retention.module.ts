import { Module } from '@nestjs/common';
import { PlaceHoldHandler, ReleaseHoldHandler, SetRetentionHandler } from './commands.js';
import { GetRetentionHandler } from './queries.js';
import { RetentionController } from './retention.controller.js';

@Module({
  controllers: [RetentionController],
  providers: [GetRetentionHandler, PlaceHoldHandler, ReleaseHoldHandler, SetRetentionHandler],
})
export class RetentionModule {}
