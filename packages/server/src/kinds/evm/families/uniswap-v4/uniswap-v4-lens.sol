// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

interface Manager {
    function ownerOf(uint256 tokenId) external view returns (address);
    function getPoolAndPositionInfo(uint256 tokenId) external view returns (PoolKey memory key, uint256 info);
}

interface State {
    function getSlot0(bytes32 poolId)
        external
        view
        returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee);
    function getFeeGrowthInside(bytes32 poolId, int24 tickLower, int24 tickUpper)
        external
        view
        returns (uint256 inside0, uint256 inside1);
    function getPositionInfo(bytes32 poolId, address owner, int24 tickLower, int24 tickUpper, bytes32 salt)
        external
        view
        returns (uint128 liquidity, uint256 insideLast0, uint256 insideLast1);
}

/**
 * The facts behind those of some NFTs of Uniswap v4 that a wallet owns; what they pay is arithmetic and happens outside.
 * It is never deployed: its runtime code travels with the call.
 */
contract UniswapV4Lens {
    struct Position {
        uint256 tokenId;
        address currency0;
        address currency1;
        address hooks;
        uint24 fee;
        uint24 lpFee;
        int24 tickLower;
        int24 tickUpper;
        int24 tick;
        uint160 sqrtPriceX96;
        uint256 inside0;
        uint256 inside1;
        uint128 liquidity;
        uint256 insideLast0;
        uint256 insideLast1;
    }

    /// owned: how many of the NFTs are the wallet's. Those without liquidity have nothing and are left out of `open`.
    function positions(Manager manager, State state, address wallet, uint256[] calldata tokenIds)
        external
        view
        returns (uint256 owned, Position[] memory open)
    {
        open = new Position[](tokenIds.length);
        uint256 count = 0;
        for (uint256 i = 0; i < tokenIds.length; i++) {
            // Reverts for an NFT that is burnt, or not minted yet.
            try manager.ownerOf(tokenIds[i]) returns (address owner) {
                if (owner != wallet) continue;
            } catch {
                continue;
            }
            owned++;
            Position memory position = open[count];
            position.tokenId = tokenIds[i];
            if (read(manager, state, position)) count++;
        }
        assembly ("memory-safe") {
            mstore(open, count)
        }
    }

    /// Whether there is liquidity.
    function read(Manager manager, State state, Position memory position) private view returns (bool) {
        (PoolKey memory key, uint256 info) = manager.getPoolAndPositionInfo(position.tokenId);
        bytes32 pool = keccak256(abi.encode(key));
        // From the lowest bit: 8 for a subscriber, 24 and 24 for the ticks, and the start of the pool's id.
        position.tickLower = int24(int256(info >> 8));
        position.tickUpper = int24(int256(info >> 32));
        (position.liquidity, position.insideLast0, position.insideLast1) = state.getPositionInfo(
            pool, address(manager), position.tickLower, position.tickUpper, bytes32(position.tokenId)
        );
        if (position.liquidity == 0) return false;
        position.currency0 = key.currency0;
        position.currency1 = key.currency1;
        position.hooks = key.hooks;
        position.fee = key.fee;
        (position.sqrtPriceX96, position.tick,, position.lpFee) = state.getSlot0(pool);
        (position.inside0, position.inside1) =
            state.getFeeGrowthInside(pool, position.tickLower, position.tickUpper);
        return true;
    }
}
