import { Module } from '@nestjs/common';
import { CatalogController } from './catalog.controller.js';
import { GetModelHandler, ListModelsHandler } from './queries.js';

@Module({ controllers: [CatalogController], providers: [ListModelsHandler, GetModelHandler] })
export class CatalogModule {}
