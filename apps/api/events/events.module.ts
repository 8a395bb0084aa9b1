import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventsController } from './events.controller.js';
import { ReadEventsHandler } from './queries.js';

@Module({ imports: [CqrsModule], controllers: [EventsController], providers: [ReadEventsHandler] })
export class EventsModule {}
