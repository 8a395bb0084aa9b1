import type { Type } from '@nestjs/common';

const closed = new Set<string>();

/** Marks a DTO class: an object with undeclared fields is refused. The OpenAPI document says so too. */
export const Closed = (): ClassDecorator => (dto) => void closed.add(dto.name);

export const isClosed = (name: Type['name']): boolean => closed.has(name);
