import { Module } from '@nestjs/common';
import { ObjectsController } from './objects.controller.js';

@Module({ controllers: [ObjectsController] })
export class ObjectsModule {}
