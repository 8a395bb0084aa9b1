import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventsController } from './events.controller.js';
import { LiveEvents } from './live-events.js';
import { ReadLogHandler } from './read-log.js';
import { ReadEventsHandler } from './queries.js';

@Module({
  imports: [CqrsModule],
  controllers: [EventsController],
  providers: [ReadEventsHandler, ReadLogHandler, LiveEvents],
})
export class EventsModule {}
