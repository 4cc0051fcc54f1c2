// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Owners {
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
}

interface Factory {
    function getPool(address token0, address token1, uint24 fee) external view returns (Pool);
}

interface Pool {
    function feeGrowthGlobal0X128() external view returns (uint256);
    function feeGrowthGlobal1X128() external view returns (uint256);
    function ticks(int24 tick)
        external
        view
        returns (uint128, int128, uint256 outside0, uint256 outside1, int56, uint160, uint32, bool);
    function positions(bytes32 key)
        external
        view
        returns (uint128 liquidity, uint256 inside0, uint256 inside1, uint128 owed0, uint128 owed1);
}

/// The facts behind positions of Uniswap v3 and its forks, in one call; what they pay is arithmetic and happens outside.
abstract contract V3Positions {
    /// liquidity, insideLast and owed once as the manager keeps them for the token, once as the pool does for the range.
    struct Share {
        uint128 liquidity;
        uint256 insideLast0;
        uint256 insideLast1;
        uint128 owed0;
        uint128 owed1;
    }

    /// Fees per unit of liquidity, of both tokens.
    struct Growth {
        uint256 token0;
        uint256 token1;
    }

    struct Position {
        uint256 tokenId;
        address token0;
        address token1;
        uint24 fee;
        int24 tickLower;
        int24 tickUpper;
        address pool;
        uint160 sqrtPriceX96;
        int24 tick;
        uint256 inside0;
        uint256 inside1;
        Share own;
        Share pooled;
    }

    /// No liquidity, and nothing owed.
    function isClosed(Position memory position) internal pure returns (bool) {
        Share memory own = position.own;
        return own.liquidity == 0 && own.owed0 == 0 && own.owed1 == 0;
    }

    function readToken(address manager, Position memory position) internal view {
        bytes memory answer = words(manager, abi.encodeWithSignature("positions(uint256)", position.tokenId), 12);
        position.token0 = address(uint160(word(answer, 2)));
        position.token1 = address(uint160(word(answer, 3)));
        position.fee = uint24(word(answer, 4));
        position.tickLower = int24(int256(word(answer, 5)));
        position.tickUpper = int24(int256(word(answer, 6)));
        Share memory own = position.own;
        own.liquidity = uint128(word(answer, 7));
        own.insideLast0 = word(answer, 8);
        own.insideLast1 = word(answer, 9);
        own.owed0 = uint128(word(answer, 10));
        own.owed1 = uint128(word(answer, 11));
    }

    /// `manager`: the pool keeps all its liquidity of a range in one account.
    function readPool(address manager, address factory, Position memory position) internal view {
        Pool pool = Factory(factory).getPool(position.token0, position.token1, position.fee);
        position.pool = address(pool);
        // Forks widen feeProtocol, the sixth field; the first two are the same everywhere.
        bytes memory slot0 = words(address(pool), abi.encodeWithSignature("slot0()"), 2);
        position.sqrtPriceX96 = uint160(word(slot0, 0));
        position.tick = int24(int256(word(slot0, 1)));
        readGrowth(pool, position);
        bytes32 key = keccak256(abi.encodePacked(manager, position.tickLower, position.tickUpper));
        Share memory pooled = position.pooled;
        (pooled.liquidity, pooled.insideLast0, pooled.insideLast1, pooled.owed0, pooled.owed1) = pool.positions(key);
    }

    function readGrowth(Pool pool, Position memory position) private view {
        Growth memory lower;
        Growth memory upper;
        Growth memory total;
        (,, lower.token0, lower.token1,,,,) = pool.ticks(position.tickLower);
        (,, upper.token0, upper.token1,,,,) = pool.ticks(position.tickUpper);
        if (isInRange(position)) total = Growth(pool.feeGrowthGlobal0X128(), pool.feeGrowthGlobal1X128());
        growInside(position, lower, upper, total);
    }

    function isInRange(Position memory position) internal pure returns (bool) {
        return position.tick >= position.tickLower && position.tick < position.tickUpper;
    }

    /**
     * Fee growth inside the range, of that outside each of its ticks; `total` counts in range alone. The counters are meant
     * to wrap around: only their differences mean something.
     */
    function growInside(Position memory position, Growth memory lower, Growth memory upper, Growth memory total)
        internal
        pure
    {
        unchecked {
            if (position.tick < position.tickLower) {
                position.inside0 = lower.token0 - upper.token0;
                position.inside1 = lower.token1 - upper.token1;
            } else if (position.tick < position.tickUpper) {
                position.inside0 = total.token0 - lower.token0 - upper.token0;
                position.inside1 = total.token1 - lower.token1 - upper.token1;
            } else {
                position.inside0 = upper.token0 - lower.token0;
                position.inside1 = upper.token1 - lower.token1;
            }
        }
    }

    function words(address target, bytes memory data, uint256 count) internal view returns (bytes memory) {
        (bool ok, bytes memory answer) = target.staticcall(data);
        require(ok && answer.length >= 32 * count, "unreadable");
        return answer;
    }

    function word(bytes memory data, uint256 index) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(data, mul(add(index, 1), 32)))
        }
    }
}
