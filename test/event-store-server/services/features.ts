import type { sendUnaryData, ServiceDefinition } from '@grpc/grpc-js';
import { features, type FeatureMessages } from '../protocol/messages.js';

/** `ServerFeatures.GetSupportedMethods`: the methods of these services, in the lower case that servers answer. */
export function getSupportedMethods(services: readonly ServiceDefinition[]) {
  const methods = new features.SupportedMethods().setEventStoreServerVersion('23.10.0');
  for (const { path } of services.flatMap((service) => Object.values(service))) {
    const [, service, method] = path.toLowerCase().split('/');
    methods.addMethods(new features.SupportedMethod().setServiceName(service!).setMethodName(method!));
  }
  return (_call: unknown, answer: sendUnaryData<FeatureMessages.SupportedMethods>): void => answer(null, methods);
}
