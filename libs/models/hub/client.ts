/** The client of the hub's API, loaded when it is first needed. */
export const hubClient = () => import('@huggingface/hub');
