interface ListPage<Item> {
  readonly object: 'list';
  readonly data: Item[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** A page of a list in the form of the OpenAI API, with the ids for requesting adjacent pages. */
export const listPage = <Item extends { readonly id: string }>(data: Item[], hasMore: boolean): ListPage<Item> => ({
  object: 'list',
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
});
