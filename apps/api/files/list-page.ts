interface ListPage<Item> {
  readonly object: 'list';
  readonly data: Item[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** A page of a list as the OpenAI API writes it, with the ids by which a client asks for the pages beside it. */
export const listPage = <Item extends { readonly id: string }>(data: Item[], hasMore: boolean): ListPage<Item> => ({
  object: 'list',
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
});
