import type { sendUnaryData } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { gossip, type GossipMessages } from '../protocol/messages.js';
import { toUuid } from '../protocol/identifiers.js';
import type { ServiceContext } from './context.js';

/** `Gossip.Read`: a cluster of this server alone; in follower mode, of it and the leader that it names. */
export function readGossip({ control, port }: ServiceContext) {
  const { FOLLOWER, LEADER } = gossip.MemberInfo.VNodeState;
  const member = (state: GossipMessages.MemberInfo.VNodeState, host: string, at: number) =>
    new gossip.MemberInfo()
      .setInstanceId(toUuid(randomUUID()))
      .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
      .setState(state)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(at));
  return (_call: unknown, answer: sendUnaryData<GossipMessages.ClusterInfo>): void => {
    const { leader } = control;
    const members = [member(leader ? FOLLOWER : LEADER, '127.0.0.1', port())];
    if (leader) members.push(member(LEADER, leader.host, leader.port));
    answer(null, new gossip.ClusterInfo().setMembersList(members));
  };
}
