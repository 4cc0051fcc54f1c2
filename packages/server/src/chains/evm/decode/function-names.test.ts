import { describe, expect, it } from 'vitest'
import { functionName, selectorsNamed } from './named-actions.ts'

describe('functionName', () => {
  // Source: block explorers.
  it.each([
    ['0xa9059cbb', 'transfer'],
    ['0x095ea7b3', 'approve'],
    ['0x23b872dd', 'transferFrom'],
    ['0xa22cb465', 'setApprovalForAll'],
    ['0xf242432a', 'safeTransferFrom'],
    ['0xd505accf', 'permit'],
    ['0xd0e30db0', 'deposit'],
    ['0x2e1a7d4d', 'withdraw'],
    ['0x38ed1739', 'swapExactTokensForTokens'],
    ['0x7ff36ab5', 'swapExactETHForTokens'],
    ['0x414bf389', 'exactInputSingle'],
    ['0x3593564c', 'execute'],
    ['0x12aa3caf', 'swap'],
    ['0x415565b0', 'transformERC20'],
    ['0x617ba037', 'supply'],
    ['0xe8eda9df', 'deposit'],
    ['0xa415bcad', 'borrow'],
    ['0x573ade81', 'repay'],
    ['0xdb006a75', 'redeem'],
    ['0x6e553f65', 'deposit'],
    ['0xa1903eab', 'submit'],
    ['0x6a761202', 'execTransaction'],
    ['0xac9650d8', 'multicall'],
    ['0x1fad948c', 'handleOps'],
    ['0x56781388', 'castVote'],
    ['0x5c19a95c', 'delegate'],
    ['0xfb0f3ee1', 'fulfillBasicOrder'],
    ['0x3d18b912', 'getReward'],
    ['0x88316456', 'mint'],
    ['0xfc6f7865', 'collect'],
  ])('%s is %s', (selector, name) => {
    expect(functionName(selector)).toBe(name)
  })

  it.each(['0x', '0x12345678', 'transfer', '0xA9059CBB', '__proto__'])('of %j it knows none', (selector) => {
    expect(functionName(selector)).toBeNull()
  })
})

describe('selectorsNamed', () => {
  it('finds functions by a part of their name, in letters of any case', () => {
    // transferFrom(address,address,uint256), from its signature's hash
    expect(selectorsNamed('TRANSFERFR')).toContain('0x23b872dd')
    expect(selectorsNamed('transferFr')).not.toContain('0xa9059cbb')
    expect(selectorsNamed('no function is called this')).toEqual([])
  })
})
