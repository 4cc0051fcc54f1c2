// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owners, V3Positions} from "../shared/v3-positions.sol";

/// A page of a wallet's positions, closed ones left out. It is never deployed: its runtime code travels with the call.
contract UniswapV3Lens is V3Positions {
    function positions(address manager, address factory, address owner, uint256 start, uint256 end)
        external
        view
        returns (Position[] memory page)
    {
        page = new Position[](end - start);
        uint256 count = 0;
        for (uint256 i = start; i < end; i++) {
            Position memory position = page[count];
            position.tokenId = Owners(manager).tokenOfOwnerByIndex(owner, i);
            readToken(manager, position);
            if (isClosed(position)) continue;
            readPool(manager, factory, position);
            count++;
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }
}
