import { Module } from '@nestjs/common';
import { Application } from '#application/application.js';
import { EncoderCalls } from './encoder-calls.js';
import { Gliner2Controller } from '../dialects/gliner2/gliner2.controller.js';
import { Gliner2Service } from '../dialects/gliner2/gliner2.service.js';
import { InferenceController } from '../dialects/native/controller.js';
import { InferenceService } from '../dialects/native/service.js';
import { LiveRunners } from './live-runners.js';
import { RoutedCalls } from './routed-calls.js';
import { ServedModels } from './served-models.js';

/** They share what is known of the runners. */
const routedCalls = {
  provide: RoutedCalls,
  inject: [Application],
  useFactory: ({ ports: { bus } }: Application) => new RoutedCalls(bus, new LiveRunners(bus)),
};

@Module({
  controllers: [InferenceController, Gliner2Controller],
  providers: [InferenceService, Gliner2Service, EncoderCalls, ServedModels, routedCalls],
  exports: [EncoderCalls, RoutedCalls, ServedModels],
})
export class InferenceModule {}
