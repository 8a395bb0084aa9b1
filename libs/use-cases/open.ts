import { NestFactory } from '@nestjs/core';
import { Decoders } from '#calls/index.js';
import { ModelFiles } from './calls/model-files.js';
import { CallTimes } from './calls/call-times.js';
import { Errands } from './errands.js';
import { SecondPerson } from './proposals/second-person.js';
import { UseCases } from './use-cases.js';
import { UseCasesModule, type UseCaseParts } from './use-cases.module.js';

/** The use cases as workers need them, without HTTP. */
export interface WorkersUseCases {
  readonly door: UseCases;
  readonly errands: Errands;
  readonly callTimes: CallTimes;
  readonly secondPerson: SecondPerson;
  /** Their calls are admitted, recorded and billed like those of the API. */
  readonly decoders: Decoders;
  readonly modelFiles: ModelFiles;
  /** Returns the credits of calls. Call it once no job or evaluation runs. */
  close(): Promise<void>;
}

export async function openUseCases(parts: UseCaseParts): Promise<WorkersUseCases> {
  const context = await NestFactory.createApplicationContext(UseCasesModule.with(parts), {
    logger: false,
    abortOnError: false,
  });
  return {
    door: context.get(UseCases),
    errands: context.get(Errands),
    callTimes: context.get(CallTimes),
    secondPerson: context.get(SecondPerson),
    decoders: context.get(Decoders),
    modelFiles: context.get(ModelFiles),
    close: () => context.close(),
  };
}
