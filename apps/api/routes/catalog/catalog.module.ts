import { Module } from '@nestjs/common';
import { CatalogController } from './catalog.controller.js';
import { GetCatalogHandler, GetModelHandler, ListModelsHandler } from './queries.js';

@Module({ controllers: [CatalogController], providers: [GetCatalogHandler, ListModelsHandler, GetModelHandler] })
export class CatalogModule {}
