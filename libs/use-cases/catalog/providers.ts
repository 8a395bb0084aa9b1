import { GetCatalogHandler, GetModelHandler, ListModelsHandler } from './queries.js';

export const CATALOG = [GetCatalogHandler, GetModelHandler, ListModelsHandler];
