// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PROBE_GAS, gainsOf} from "../shared/gains.sol";
import {Owners, V3Positions} from "../shared/v3-positions.sol";

interface AlgebraFactory {
    function poolByPair(address token0, address token1) external view returns (address);
    function customPoolByPair(address deployer, address token0, address token1) external view returns (address);
}

/**
 * Positions of Algebra's pools. Its generations differ in words of their answers; how many words there are tells which
 * they are. It is never deployed: its runtime code travels with the call.
 */
contract AlgebraLens is V3Positions {
    uint256 private constant LATER_MANAGER_WORDS = 12;
    uint256 private constant FIRST_POOL_POSITION_WORDS = 6;
    uint256 private constant INTEGRAL_TICK_WORDS = 6;
    uint256 private constant INTEGRAL_STATE_WORDS = 6;
    /// Of a pool's plugin: it is asked before liquidity changes, and may keep a part of what is taken out.
    uint256 private constant BEFORE_POSITION_MODIFY = 1 << 2;
    /// Of a pool's plugin: it is asked before or after liquidity changes, and may refuse.
    uint256 private constant ASKED_AT_REMOVAL = 1 << 2 | 1 << 3;
    /// Anyone may have written a token of a pool.
    uint256 private constant TOKEN_GAS = 100_000;
    uint256 private constant STRANGER_GAS = 60_000;
    uint256 private constant PROOF_GAS = 900_000;
    /// NFTs from either end of a manager's list that are tried as proof.
    uint256 private constant TRIED = 4;
    uint256 private constant RESERVE = 1_000_000;

    /// What taking a position out pays the owner. `tried` is false where that could not be tested.
    struct Gain {
        bool tried;
        uint256 amount0;
        uint256 amount1;
    }

    /// A position, whether its plugin is asked about a removal, and whether it may keep a part. `gain`: only if it is asked.
    struct Nft {
        Position position;
        bool isAsked;
        bool mayKeep;
        Gain gain;
    }

    /// A page of a wallet's positions, closed ones left out.
    function positions(address manager, address factory, address owner, uint256 start, uint256 end)
        external
        returns (Nft[] memory page)
    {
        page = new Nft[](end - start);
        uint256 count = 0;
        for (uint256 i = start; i < end; i++) {
            Nft memory nft = page[count];
            Position memory position = nft.position;
            position.tokenId = Owners(manager).tokenOfOwnerByIndex(owner, i);
            address deployer = readNft(manager, position);
            if (isClosed(position)) continue;
            uint256 plugin = readAlgebraPool(manager, factory, deployer, position);
            nft.mayKeep = plugin & BEFORE_POSITION_MODIFY != 0;
            nft.isAsked = plugin & ASKED_AT_REMOVAL != 0;
            if (nft.isAsked) nft.gain = gainOf(manager, owner, position);
            count++;
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    function gainOf(address manager, address owner, Position memory position) private returns (Gain memory gain) {
        if (gasleft() < PROBE_GAS + RESERVE) return gain;
        uint256 id = position.tokenId;
        uint128 most = type(uint128).max;
        bytes[] memory steps = new bytes[](2);
        steps[0] = abi.encodeWithSignature(
            "decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))",
            id,
            position.own.liquidity,
            0,
            0,
            block.timestamp
        );
        steps[1] = abi.encodeWithSignature("collect((uint256,address,uint128,uint128))", id, owner, most, most);
        // A manager refuses to take out nothing.
        bytes memory data = position.own.liquidity > 0 ? abi.encodeWithSignature("multicall(bytes[])", steps) : steps[1];
        (gain.tried, gain.amount0, gain.amount1) = gainsOf(owner, manager, data, position.token0, position.token1);
    }

    /**
     * Which of these contracts issue positions of the factory's pools: one of their NFTs says what liquidity it has, and the
     * pool has so much of the contract's own.
     */
    function recognise(address factory, address[] calldata tokens) external view returns (bool[] memory found) {
        found = new bool[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            (bool ok, uint256 its) = ask(STRANGER_GAS, tokens[i], abi.encodeWithSignature("factory()"));
            if (!ok || its != uint256(uint160(factory))) continue;
            try this.hasProof{gas: PROOF_GAS}(tokens[i], factory) returns (bool proof) {
                found[i] = proof;
            } catch {}
        }
    }

    function hasProof(address manager, address factory) external view returns (bool) {
        (bool ok, uint256 supply) = ask(STRANGER_GAS, manager, abi.encodeWithSignature("totalSupply()"));
        for (uint256 i = 0; ok && i < 2 * TRIED && i < supply; i++) {
            uint256 index = i < TRIED ? i : supply + TRIED - 1 - i;
            (bool listed, uint256 id) = ask(STRANGER_GAS, manager, abi.encodeWithSignature("tokenByIndex(uint256)", index));
            if (!listed) return false;
            Position memory position;
            position.tokenId = id;
            address deployer = readNft(manager, position);
            if (position.own.liquidity == 0) continue;
            address pool = poolOf(factory, deployer, position);
            if (pool.code.length == 0) continue;
            readPooled(pool, manager, position);
            if (position.pooled.liquidity >= position.own.liquidity) return true;
        }
        return false;
    }

    /// `deployer`: who made the pool, which later managers say behind the tokens; zero for the factory's own.
    function readNft(address manager, Position memory position) private view returns (address deployer) {
        bytes memory answer = words(manager, abi.encodeWithSignature("positions(uint256)", position.tokenId), 11);
        position.token0 = address(uint160(word(answer, 2)));
        position.token1 = address(uint160(word(answer, 3)));
        uint256 at = 4;
        if (answer.length >= 32 * LATER_MANAGER_WORDS) deployer = address(uint160(word(answer, at++)));
        position.tickLower = int24(int256(word(answer, at)));
        position.tickUpper = int24(int256(word(answer, at + 1)));
        Share memory own = position.own;
        own.liquidity = uint128(word(answer, at + 2));
        own.insideLast0 = word(answer, at + 3);
        own.insideLast1 = word(answer, at + 4);
        own.owed0 = uint128(word(answer, at + 5));
        own.owed1 = uint128(word(answer, at + 6));
    }

    function poolOf(address factory, address deployer, Position memory position) private view returns (address) {
        if (deployer == address(0)) return AlgebraFactory(factory).poolByPair(position.token0, position.token1);
        return AlgebraFactory(factory).customPoolByPair(deployer, position.token0, position.token1);
    }

    function readAlgebraPool(address manager, address factory, address deployer, Position memory position)
        private
        view
        returns (uint256 plugin)
    {
        address pool = poolOf(factory, deployer, position);
        position.pool = pool;
        bytes memory state = words(pool, abi.encodeWithSignature("globalState()"), 2);
        position.sqrtPriceX96 = uint160(word(state, 0));
        position.tick = int24(int256(word(state, 1)));
        if (state.length == 32 * INTEGRAL_STATE_WORDS) plugin = word(state, 3);
        bool isFirst = readPooled(pool, manager, position);
        Growth memory total;
        if (isInRange(position)) {
            total = Growth(
                uint256(bytes32(words(pool, abi.encodeWithSignature("totalFeeGrowth0Token()"), 1))),
                uint256(bytes32(words(pool, abi.encodeWithSignature("totalFeeGrowth1Token()"), 1)))
            );
            if (!isFirst) addExcess(pool, position, total);
        }
        growInside(position, outside(pool, position.tickLower), outside(pool, position.tickUpper), total);
    }

    /// What the pool keeps under the manager's key, which is packed. Answers whether the pool is one of the first.
    function readPooled(address pool, address manager, Position memory position) private view returns (bool isFirst) {
        uint256 key = uint256(uint160(manager)) << 48 | uint256(uint24(position.tickLower)) << 24
            | uint256(uint24(position.tickUpper));
        bytes memory answer = words(pool, abi.encodeWithSignature("positions(bytes32)", key), 5);
        isFirst = answer.length == 32 * FIRST_POOL_POSITION_WORDS;
        // The first pools note behind the liquidity when it was added.
        uint256 at = isFirst ? 2 : 1;
        Share memory pooled = position.pooled;
        pooled.liquidity = uint128(word(answer, 0));
        pooled.insideLast0 = word(answer, at);
        pooled.insideLast1 = word(answer, at + 1);
        pooled.owed0 = uint128(word(answer, at + 2));
        pooled.owed1 = uint128(word(answer, at + 3));
    }

    function outside(address pool, int24 tick) private view returns (Growth memory) {
        bytes memory answer = words(pool, abi.encodeWithSignature("ticks(int24)", tick), INTEGRAL_TICK_WORDS);
        uint256 at = answer.length == 32 * INTEGRAL_TICK_WORDS ? 4 : 2;
        return Growth(word(answer, at), word(answer, at + 1));
    }

    /// Later pools give what they have beyond their reserves to the liquidity in range, before anything else changes.
    function addExcess(address pool, Position memory position, Growth memory total) private view {
        uint256 liquidity = uint256(bytes32(words(pool, abi.encodeWithSignature("liquidity()"), 1)));
        if (liquidity == 0) return;
        bytes memory reserves = words(pool, abi.encodeWithSignature("getReserves()"), 2);
        unchecked {
            total.token0 += excess(position.token0, pool, word(reserves, 0)) / liquidity;
            total.token1 += excess(position.token1, pool, word(reserves, 1)) / liquidity;
        }
    }

    /// In 128 fractional bits.
    function excess(address token, address pool, uint256 reserve) private view returns (uint256) {
        (bool ok, uint256 balance) = ask(TOKEN_GAS, token, abi.encodeWithSignature("balanceOf(address)", pool));
        if (!ok) return 0;
        if (balance > type(uint128).max) balance = type(uint128).max;
        return balance > reserve ? (balance - reserve) << 128 : 0;
    }

    /// One word of a contract that anyone may have written; no more of its answer is copied.
    function ask(uint256 gasLimit, address target, bytes memory data) private view returns (bool ok, uint256 value) {
        assembly ("memory-safe") {
            ok := staticcall(gasLimit, target, add(data, 32), mload(data), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            value := mload(0)
        }
    }
}
