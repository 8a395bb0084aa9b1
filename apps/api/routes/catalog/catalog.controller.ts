import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ofEachKind } from '#domain/inference/index.js';
import type { Caller } from '#application/caller.js';
import { CurrentCaller, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { FastifyRequest } from '../../edge/http.js';
import { BaseModelList, BaseModelsQuery, Model, ModelList, ModelsQuery, type BaseModel } from './dto.js';
import { GetCatalog, GetModel, ListModels, type CallableModel } from '#use-cases/catalog/queries.js';
import { KnownQuery } from '../../edge/validation/index.js';
import type { CatalogEntry } from '#models/catalog/catalog.js';
import { badRequest } from '../../edge/errors/http-error.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('Models')
@ReadingNeeds('history')
@Controller()
export class CatalogController {
  constructor(private readonly useCases: UseCases) {}

  @Get('base-models')
  @Needs('inference', 'history')
  @ApiOperation({ summary: 'Lists the models that can be called or trained, with their capabilities and prices' })
  @ApiOkResponse({ type: BaseModelList })
  async baseModels(@KnownQuery() query: BaseModelsQuery, @CurrentCaller() caller: Caller): Promise<BaseModelList> {
    const { supports_inference, supports_training, task_type } = query;
    const view = await this.useCases.execute(new GetCatalog(caller, null));
    const models = view.entries.filter(
      (entry) =>
        (supports_inference === undefined || entry.supports_inference === supports_inference) &&
        (supports_training === undefined || entry.supports_training === supports_training) &&
        (task_type === undefined || entry.task_type === task_type),
    );
    return { models: models.map((entry) => baseModel(entry, view.seesPricesOf(entry))) };
  }

  // Clients append `/v1` to a base address that already ends in it.
  @Get('v1/models')
  @Needs('inference', 'history')
  @ApiOperation({
    summary: "Lists catalog models and the workspace's trained models, for the OpenAI and Anthropic SDKs",
  })
  @ApiOkResponse({ type: ModelList })
  async models(@KnownQuery() query: ModelsQuery, @CurrentCaller() caller: Caller): Promise<ModelList> {
    const models = await this.useCases.execute(new ListModels(caller, null));
    return pageOf(models.map(modelRecord), query);
  }

  // A wildcard, for ids hold slashes.
  @Get('v1/models/*')
  @Needs('inference', 'history')
  @ApiOperation({ summary: 'One model by its id (slashes literal, or encoded as %2F)' })
  @ApiParam({ name: 'path', type: String, description: 'The id of the model.', example: 'anneal/encoder-base-v1' })
  @ApiOkResponse({ type: Model })
  async model(@Req() { params }: FastifyRequest, @CurrentCaller() caller: Caller): Promise<Model> {
    return modelRecord(await this.useCases.execute(new GetModel(caller, (params as { '*': string })['*'])));
  }
}

/**
 * A catalog entry as shown to clients.
 * @param withPrices false: prices are withheld
 */
function baseModel(entry: CatalogEntry, withPrices: boolean): BaseModel {
  return {
    id: entry.id,
    label: entry.label,
    description: entry.description,
    task_type: entry.task_type,
    family: entry.family,
    multilingual: entry.multilingual,
    context_window: entry.context_window,
    release_month: entry.release_month,
    ...ofEachKind('price', ({ price }) => (withPrices ? entry[price] : null)),
    supports_inference: entry.supports_inference,
    supports_training: entry.supports_training,
    supports_on_demand_inference: entry.supports_on_demand_inference,
    deprecated: entry.deprecated,
    ...(entry.tier !== undefined && { tier: entry.tier }),
  };
}

const modelRecord = ({ id, name, owner, createdAt, isDeprecated, contextWindow }: CallableModel): Model => ({
  id,
  object: 'model',
  type: 'model',
  created: Math.floor(createdAt.getTime() / 1000),
  created_at: createdAt.toISOString(),
  owned_by: owner,
  display_name: name,
  lifecycle: isDeprecated ? 'deprecated' : 'active',
  max_input_tokens: contextWindow,
  // Fields of the Anthropic SDK's type with no value here.
  ...{ max_tokens: null, capabilities: null, line: null, deprecated_at: null, retires_at: null },
});

/**
 * A page in the form of both SDK families. `before_id` selects the models just before it.
 * @throws HttpError 400 for both cursors at once, or one that is not in the list
 */
function pageOf(models: readonly Model[], { limit, before_id, after_id }: ModelsQuery): ModelList {
  if (before_id !== undefined && after_id !== undefined) throw badRequest('give before_id or after_id, not both');
  const end = before_id === undefined ? models.length : indexOf(models, 'before_id', before_id);
  const start = after_id === undefined ? 0 : indexOf(models, 'after_id', after_id) + 1;
  const rest = models.slice(start, end);
  const data = before_id === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    object: 'list',
    data,
    has_more: rest.length > data.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function indexOf(models: readonly Model[], name: string, id: string): number {
  const index = models.findIndex((model) => model.id === id);
  if (index < 0) throw badRequest(`${name}: must be the id of a model in this list (got ${JSON.stringify(id)})`);
  return index;
}
