import { Controller, Get, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { CurrentCaller, Needs, ReadingNeeds } from '../auth/index.js';
import type { FastifyRequest } from '../http.js';
import { BaseModelList, BaseModelsQuery, Model, ModelList, ModelsQuery } from './dto.js';
import { pageOf } from './page.js';
import { GetCatalog, GetModel, ListModels } from './queries.js';
import { baseModel } from './record.js';
import { KnownQuery } from '../validation/index.js';

@ApiTags('Models')
@ReadingNeeds('history')
@Controller()
export class CatalogController {
  constructor(private readonly queries: QueryBus) {}

  @Get('base-models')
  @Needs('inference', 'history')
  @ApiOperation({ summary: 'The models that can be called or trained here, with what they can do and cost' })
  @ApiOkResponse({ type: BaseModelList })
  async baseModels(@KnownQuery() query: BaseModelsQuery, @CurrentCaller() caller: Caller): Promise<BaseModelList> {
    const { supports_inference, supports_training, task_type } = query;
    const view = await this.queries.execute(new GetCatalog(caller));
    const models = view.entries.filter(
      (entry) =>
        (supports_inference === undefined || entry.supports_inference === supports_inference) &&
        (supports_training === undefined || entry.supports_training === supports_training) &&
        (task_type === undefined || entry.task_type === task_type),
    );
    return { models: models.map((entry) => baseModel(entry, view.seesPricesOf(entry))) };
  }

  // Clients put `/v1` behind a base address that ends in it already.
  @Get(['v1/models', 'v1/v1/models'])
  @Needs('inference', 'history')
  @ApiOperation({ summary: 'The catalog and the own trained models, for the OpenAI and the Anthropic SDKs' })
  @ApiOkResponse({ type: ModelList })
  async models(@KnownQuery() query: ModelsQuery, @CurrentCaller() caller: Caller): Promise<ModelList> {
    return pageOf(await this.queries.execute(new ListModels(caller)), query);
  }

  // A wildcard, for ids hold slashes.
  @Get(['v1/models/*', 'v1/v1/models/*'])
  @Needs('inference', 'history')
  @ApiOperation({ summary: 'One model by its id (slashes as they are, or as %2F)' })
  @ApiParam({ name: 'path', type: String, description: 'The id of the model.', example: 'anneal/encoder-base-v1' })
  @ApiOkResponse({ type: Model })
  model(@Req() { params }: FastifyRequest, @CurrentCaller() caller: Caller): Promise<Model> {
    return this.queries.execute(new GetModel(caller, (params as { '*': string })['*']));
  }
}
