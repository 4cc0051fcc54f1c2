// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owners, V3Positions} from "../shared/v3-positions.sol";

interface Chef {
    function pendingCake(uint256 tokenId) external view returns (uint256);
}

/**
 * A page of the positions that a wallet has staked with a chef, each with its reward. Left out are those that are closed
 * and earned nothing. It is never deployed: its runtime code travels with the call.
 */
contract PancakeChefLens is V3Positions {
    struct Staked {
        Position position;
        uint256 pending;
    }

    /// The chef owns the NFTs and lists them by who staked them.
    function staked(address chef, address manager, address factory, address owner, uint256 start, uint256 end)
        external
        view
        returns (Staked[] memory page)
    {
        page = new Staked[](end - start);
        uint256 count = 0;
        for (uint256 i = start; i < end; i++) {
            Staked memory stake = page[count];
            Position memory position = stake.position;
            position.tokenId = Owners(chef).tokenOfOwnerByIndex(owner, i);
            stake.pending = Chef(chef).pendingCake(position.tokenId);
            readToken(manager, position);
            if (stake.pending == 0 && isClosed(position)) continue;
            readPool(manager, factory, position);
            count++;
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }
}
