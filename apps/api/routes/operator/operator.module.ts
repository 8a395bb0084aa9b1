import { Module } from '@nestjs/common';
import { OperatorController } from './operator.controller.js';
import { RunnersHeard } from './runners-heard.js';

@Module({ controllers: [OperatorController], providers: [RunnersHeard] })
export class OperatorModule {}
