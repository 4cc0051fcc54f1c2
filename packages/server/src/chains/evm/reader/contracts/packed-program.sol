// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/**
 * A list of reads run by one `eth_call`. It is never deployed: its runtime code travels with the call.
 *
 * Input, packed:
 *   flags(1)       bit 0: the block's number and parent come from ArbSys (Arbitrum), not from the opcodes
 *   limit(4)       most bytes of output
 *   codes(1)       then length(3) initcode per code: created first, so that calls can address them by index
 *   calls(2)       then kind(1) gas/1000(2) target(20) length(3) data per call; kind 1: target is the index of a code
 *   lists(1)       then tokens(2) and 20 bytes a token, per list
 *   scans(2)       then owner(20) list(1) from(2) tokens(2) per scan: whose balances, in which tokens of which list
 *   held(1)        0 or 1; if 1, then tokenAt(3) ownerAt(3), a call as above, and a bit per token of each list, in whole bytes:
 *                  for which of them the call is made once a scan found a balance, with token and owner at these places
 *
 * Output, packed:
 *   number(8) timestamp(8) parentHash(32) prevRandao(32) gasAtStart(8)
 *   per call       status(1) length(3) data; status 0 failed, 1 answered, 2 answered more than can be passed on
 *   per scan       native(32) done(2) entries(2), then per entry index(2) balance(32), or index|0x8000 (2) for a failure
 *   per such call  scan(2) index(2) 1 length(3) data, where it was answered; for MOST_HELD of a scan at most
 *   gasBeforeScans(8) gasBeforeHeld(8) gasAtEnd(8) calls(2) held(2)
 *
 * It never runs out of gas or room by itself: it stops before what it cannot finish, and the output says how far it got.
 * Each call has the same gas whatever ran before it, and what it changes is undone before the next one, so that an
 * answer does not depend on the company a read travels in.
 */
contract PackedProgram {
    fallback() external {
        assembly {
            /// The frame of one call: runs it, then reverts with status and answer, which undoes what the call changed.
            function frame() {
                let head := calldataload(0)
                let size := sub(calldatasize(), 28)
                calldatacopy(1, 28, size)
                let ok := call(and(shr(64, head), 0xffffffff), shr(96, head), 0, 1, size, 0, 0)
                let length := returndatasize()
                if gt(length, and(shr(32, head), 0xffffffff)) {
                    ok := 2
                    length := 0
                }
                mstore8(0, ok)
                returndatacopy(1, 0, length)
                revert(0, add(length, 1))
            }

            function arbSys(selector, argument) -> answer {
                mstore(0, shl(224, selector))
                mstore(4, argument)
                if iszero(staticcall(gas(), 0x64, 0, 36, 0, 32)) { revert(0, 0) }
                answer := mload(0)
            }

            function header(o, flags) -> end {
                let height := number()
                let parent := 0
                switch and(flags, 1)
                case 0 { parent := blockhash(sub(height, 1)) }
                default {
                    height := arbSys(0xa3b1b31d, 0)
                    parent := arbSys(0x2b407a82, sub(height, 1))
                }
                mstore(o, shl(192, height))
                mstore(add(o, 8), shl(192, timestamp()))
                mstore(add(o, 16), parent)
                mstore(add(o, 48), difficulty())
                mstore(add(o, 80), shl(192, gas()))
                end := add(o, 88)
            }

            /// Creates the codes and leaves their addresses at 0x80, a word each.
            function createCodes(p) -> next {
                let codes := byte(0, calldataload(p))
                let scratch := add(0x80, mul(codes, 32))
                next := add(p, 1)
                for { let i := 0 } lt(i, codes) { i := add(i, 1) } {
                    let length := shr(232, calldataload(next))
                    calldatacopy(scratch, add(next, 3), length)
                    mstore(add(0x80, mul(i, 32)), create(0, scratch, length))
                    next := add(next, add(3, length))
                }
            }

            /// Writes what the frame of one call takes; `size` is 0 when the call must wait for another program.
            function prepareCall(p, o, edge) -> size {
                let w := calldataload(p)
                let cap := mul(1000, and(shr(232, w), 0xffff))
                // 63/64 of the gas goes on, twice; the rest is for copying the longest answer.
                if lt(gas(), add(div(mul(cap, 17), 16), 1000000)) { leave }
                if lt(edge, add(o, 4)) { leave }
                let target := shr(96, shl(24, w))
                if byte(0, w) { target := mload(add(0x80, mul(target, 32))) }
                let most := sub(edge, add(o, 4))
                if gt(most, 0x20000) { most := 0x20000 }
                mstore(o, or(shl(96, target), or(shl(64, cap), shl(32, most))))
                size := and(shr(48, w), 0xffffff)
                calldatacopy(add(o, 28), add(p, 26), size)
                size := add(size, 28)
            }

            /// Makes a call that was prepared; `end` is 0 when its answer must wait for another program.
            function makeCall(o, size, edge, first) -> end {
                pop(call(gas(), address(), 0, o, size, 0, 0))
                let answered := returndatasize()
                mstore(o, 0)
                if answered {
                    returndatacopy(o, 0, 1)
                    answered := sub(answered, 1)
                    if eq(byte(0, mload(o)), 2) { if and(iszero(first), lt(sub(edge, add(o, 4)), 0x20000)) { leave } }
                }
                mstore(add(o, 1), shl(232, answered))
                if answered { returndatacopy(add(o, 4), 1, answered) }
                end := add(add(o, 4), answered)
            }

            /// One call; `end` is 0 when it must wait for another program.
            function runCall(p, o, edge, first) -> end {
                let size := prepareCall(p, o, edge)
                if size { end := makeCall(o, size, edge, first) }
            }

            function runCalls(p, o, edge) -> next, end, done {
                let calls := shr(240, calldataload(p))
                next := add(p, 2)
                end := o
                for { let open := 1 } lt(done, calls) { } {
                    if open {
                        let reached := runCall(next, end, edge, iszero(done))
                        switch reached
                        case 0 { open := 0 }
                        default { end := reached }
                    }
                    if iszero(open) { leave }
                    next := add(add(next, 26), and(shr(48, calldataload(next)), 0xffffff))
                    done := add(done, 1)
                }
            }

            function scanTokens(p, tokens, o, edge) -> end, done, entries {
                end := o
                for { } lt(done, tokens) { done := add(done, 1) } {
                    if or(lt(gas(), 300000), lt(edge, add(end, 34))) { leave }
                    let token := shr(96, calldataload(add(p, mul(done, 20))))
                    let ok := staticcall(200000, token, 0, 0x24, 0x40, 0x20)
                    switch and(ok, gt(returndatasize(), 31))
                    case 0 {
                        // Nothing lives there: no balance. Anything else that does not answer is unknown.
                        if or(iszero(ok), iszero(iszero(extcodesize(token)))) {
                            mstore(end, shl(240, or(done, 0x8000)))
                            end := add(end, 2)
                            entries := add(entries, 1)
                        }
                    }
                    default {
                        let balanceRaw := mload(0x40)
                        if balanceRaw {
                            mstore(end, shl(240, done))
                            mstore(add(end, 2), balanceRaw)
                            end := add(end, 34)
                            entries := add(entries, 1)
                        }
                    }
                }
            }

            /// Where the list number `i` begins with its length.
            function listAt(p, i) -> at {
                at := add(p, 1)
                for { } i { i := sub(i, 1) } { at := add(at, add(2, mul(20, shr(240, calldataload(at))))) }
            }

            /// `next` is where the input goes on, or 0 if not all scans were done.
            function runScans(p, o, edge) -> end, next {
                end := o
                let at := listAt(p, byte(0, calldataload(p)))
                let scans := shr(240, calldataload(at))
                at := add(at, 2)
                for { let i := 0 } lt(i, scans) { i := add(i, 1) } {
                    if or(lt(gas(), 300000), lt(edge, add(end, 36))) { leave }
                    let w := calldataload(at)
                    let tokens := add(listAt(p, and(shr(88, w), 0xff)), add(2, mul(20, and(shr(72, w), 0xffff))))
                    let wanted := and(shr(56, w), 0xffff)
                    mstore(0, shl(224, 0x70a08231)) // balanceOf(address)
                    mstore(4, shr(96, w))
                    mstore(end, balance(shr(96, w)))
                    let reached, done, entries := scanTokens(tokens, wanted, add(end, 36), edge)
                    let counts := add(end, 32)
                    mstore(counts, or(shl(240, done), or(shl(224, entries), shr(32, shl(32, mload(counts))))))
                    end := reached
                    if lt(done, wanted) { leave }
                    at := add(at, 25)
                }
                next := at
            }

            /// The bits of the list number `i`; `p` is where lists begin, `marks` where the bits of the first one do.
            function marksOf(p, marks, i) -> at {
                at := marks
                p := add(p, 1)
                for { } i { i := sub(i, 1) } {
                    let tokens := shr(240, calldataload(p))
                    at := add(at, shr(3, add(tokens, 7)))
                    p := add(p, add(2, mul(20, tokens)))
                }
            }

            /// Makes the call about one token; `end` is 0 when gas or room do not suffice, and `o` when it was refused. Of what it
            /// needs, `edge` lies at 0, the place of the call at 0x20, and the scan with its number in the last bytes at 0x40.
            function runHeldCall(o, index, token) -> end {
                let size := prepareCall(add(mload(0x20), 6), add(o, 4), mload(0))
                if iszero(size) { leave }
                let places := calldataload(mload(0x20))
                mstore(add(add(o, 32), shr(232, places)), token)
                mstore(add(add(o, 32), and(shr(208, places), 0xffffff)), shr(96, mload(0x40)))
                end := makeCall(add(o, 4), size, mload(0), 0)
                if end {
                    switch eq(byte(4, mload(o)), 1)
                    case 0 { end := o }
                    default {
                        mstore(o, or(or(shl(240, mload(0x40)), shl(224, index)), shr(32, shl(32, mload(o)))))
                    }
                }
            }

            /// The calls about what one scan found, whose output is at `found`; the next one's is at `next`.
            function runHeldOfScan(found, tokens, marks, o) -> end, next, made {
                end := o
                next := add(found, 36)
                let left := 16 // MOST_HELD
                for { let entries := and(shr(224, mload(add(found, 32))), 0xffff) } entries { entries := sub(entries, 1) } {
                    let index := shr(240, mload(next))
                    next := add(next, 2)
                    if lt(index, 0x8000) {
                        next := add(next, 32)
                        let place := add(and(shr(72, mload(0x40)), 0xffff), index)
                        let mark := shr(sub(7, and(place, 7)), byte(0, calldataload(add(marks, shr(3, place)))))
                        if and(mark, iszero(iszero(left))) {
                            let reached := runHeldCall(end, index, shr(96, calldataload(add(tokens, mul(20, place)))))
                            left := mul(sub(left, 1), iszero(iszero(reached)))
                            if gt(reached, end) {
                                end := reached
                                made := add(made, 1)
                            }
                        }
                    }
                }
            }

            /// `p`: where lists begin; `found`: the output of the first scan.
            function runHeld(p, held, found, o) -> end, made {
                end := o
                let at := listAt(p, byte(0, calldataload(p)))
                let marks := add(add(held, 32), and(shr(48, calldataload(add(held, 6))), 0xffffff))
                mstore(0x20, held)
                for { let i := 0 } lt(i, shr(240, calldataload(at))) { i := add(i, 1) } {
                    let w := calldataload(add(add(at, 2), mul(25, i)))
                    mstore(0x40, or(shl(16, shr(16, w)), i))
                    let list := and(shr(88, w), 0xff)
                    let more
                    end, found, more := runHeldOfScan(found, add(listAt(p, list), 2), marksOf(p, marks, list), end)
                    made := add(made, more)
                }
            }

            if eq(caller(), address()) { frame() }
            let head := calldataload(0)
            let callsAt := createCodes(5)
            let start := add(0x80, mul(byte(5, head), 32))
            let edge := sub(add(start, and(shr(216, head), 0xffffffff)), 28)
            let o := header(start, byte(0, head))
            let p, reached, calls := runCalls(callsAt, o, edge)
            mstore(0x60, or(shl(192, gas()), shl(48, calls)))
            o := reached
            let next := 0
            // Where calls were left out, the scans behind them are too.
            if eq(calls, shr(240, calldataload(callsAt))) { o, next := runScans(p, o, edge) }
            mstore(0x60, or(mload(0x60), shl(128, gas())))
            if next {
                if byte(0, calldataload(next)) {
                    mstore(0, edge)
                    let end, made := runHeld(p, add(next, 1), reached, o)
                    o := end
                    mstore(0x60, or(mload(0x60), shl(32, made)))
                }
            }
            mstore(o, or(mload(0x60), shl(64, gas())))
            return(start, sub(add(o, 28), start))
        }
    }
}
