import { Module } from '@nestjs/common';
import {
  AddModelVersionHandler,
  ChangeModelHandler,
  CreateNamedModelHandler,
  DeleteNamedModelHandler,
  RollBackModelHandler,
} from './commands.js';
import { GetDriftHandler } from './drift.js';
import { ModelsController } from './models.controller.js';
import { GetNamedModelHandler, ListNamedModelsHandler } from './queries.js';

@Module({
  controllers: [ModelsController],
  providers: [
    AddModelVersionHandler,
    ChangeModelHandler,
    CreateNamedModelHandler,
    DeleteNamedModelHandler,
    RollBackModelHandler,
    GetDriftHandler,
    GetNamedModelHandler,
    ListNamedModelsHandler,
  ],
})
export class ModelsModule {}
