// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface RequestNft {
    struct Request {
        uint96 amountOfEEth;
        uint96 shareOfEEth;
        bool isValid;
        uint32 feeGwei;
    }

    function ownerOf(uint256 id) external view returns (address);
    function getRequest(uint256 id) external view returns (Request memory);
    function isFinalized(uint256 id) external view returns (bool);
    function getClaimableAmount(uint256 id) external view returns (uint256);
}

interface LiquidityPool {
    function amountForShare(uint256 share) external view returns (uint256);
}

/// A wallet's requests in ether.fi's withdrawal queue. It is never deployed: its runtime code travels with the call.
contract EtherFiLens {
    struct Found {
        uint256 id;
        /// Coin that a claim pays; where the request waits, what it would pay at the present rate.
        uint256 amount;
        bool isFinalized;
        bool isValid;
    }

    /// Those of the requests that are the wallet's. Burnt ones have no owner.
    function requests(RequestNft nft, LiquidityPool pool, address wallet, uint256[] calldata ids)
        external
        view
        returns (Found[] memory found)
    {
        found = new Found[](ids.length);
        uint256 count = 0;
        for (uint256 i = 0; i < ids.length; i++) {
            try nft.ownerOf(ids[i]) returns (address owner) {
                if (owner == wallet) found[count++] = read(nft, pool, ids[i]);
            } catch {}
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    function read(RequestNft nft, LiquidityPool pool, uint256 id) private view returns (Found memory one) {
        RequestNft.Request memory request = nft.getRequest(id);
        one = Found(id, request.amountOfEEth, nft.isFinalized(id), request.isValid);
        // Growth after a request is not the wallet's; a loss is.
        uint256 worth = one.isFinalized ? nft.getClaimableAmount(id) : pool.amountForShare(request.shareOfEEth);
        if (worth < one.amount) one.amount = worth;
    }
}
