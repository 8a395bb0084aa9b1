import { Module } from '@nestjs/common';
import { InferenceController } from './inference.controller.js';
import { InferenceService } from './inference.service.js';
import { ServedModels } from './served-models.js';

@Module({ controllers: [InferenceController], providers: [InferenceService, ServedModels] })
export class InferenceModule {}
