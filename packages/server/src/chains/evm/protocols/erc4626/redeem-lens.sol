// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {gainsOf} from "../shared/gains.sol";

/// Asks a `SaleProbe`, where one stands at the owner's address, what a vault pays the owner for shares.
contract RedeemLens {
    /// `tried` is false where no probe answered; `paid` is in base units of the asset and means nothing then.
    function redeem(address vault, address asset, uint256 shares, address owner)
        external
        returns (bool tried, uint256 paid)
    {
        bytes memory data = abi.encodeWithSignature("redeem(uint256,address,address)", shares, owner, owner);
        (tried, paid,) = gainsOf(owner, vault, data, asset, asset);
    }
}
