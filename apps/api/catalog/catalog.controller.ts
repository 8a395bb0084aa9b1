import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { Catalog } from '#model-catalog/catalog.js';
import { CurrentCaller } from '../auth/index.js';
import { BaseModelList, BaseModelsQuery, Model, ModelList, ModelsQuery } from './dto.js';
import { pageOf } from './page.js';
import { GetModel, ListModels } from './queries.js';

@ApiTags('Models')
@Controller()
export class CatalogController {
  constructor(
    private readonly queries: QueryBus,
    private readonly catalog: Catalog,
  ) {}

  @Get('base-models')
  @ApiOperation({ summary: 'The models that can be called or trained here, with what they can do and cost' })
  @ApiOkResponse({ type: BaseModelList })
  baseModels(@Query() query: BaseModelsQuery): BaseModelList {
    const { supports_inference, supports_training, task_type } = query;
    const models = this.catalog.entries.filter(
      (entry) =>
        (supports_inference === undefined || entry.supports_inference === supports_inference) &&
        (supports_training === undefined || entry.supports_training === supports_training) &&
        (task_type === undefined || entry.task_type === task_type),
    );
    return { models };
  }

  // Clients put `/v1` behind a base address that ends in it already.
  @Get(['v1/models', 'v1/v1/models'])
  @ApiOperation({ summary: 'The catalog and the own trained models, for the OpenAI and the Anthropic SDKs' })
  @ApiOkResponse({ type: ModelList })
  async models(@Query() query: ModelsQuery, @CurrentCaller() caller: Caller): Promise<ModelList> {
    return pageOf(await this.queries.execute(new ListModels(caller.workspaceId)), query);
  }

  // A wildcard, for ids hold slashes.
  @Get(['v1/models/*', 'v1/v1/models/*'])
  @ApiOperation({ summary: 'One model by its id (slashes as they are, or as %2F)' })
  @ApiParam({ name: 'id', type: String })
  @ApiOkResponse({ type: Model })
  model(@Param('*') id: string, @CurrentCaller() caller: Caller): Promise<Model> {
    return this.queries.execute(new GetModel(caller.workspaceId, id));
  }
}
