// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MakerVat, Noting} from "./MakerVat.sol";

/// Takes and gives one kind of collateral, which the Vat counts with 18 decimals whatever the token has (as GemJoin5).
contract MakerJoin is Noting {
    using SafeERC20 for IERC20;

    MakerVat public immutable vat;
    bytes32 public immutable ilk;
    IERC20 public immutable gem;
    uint256 public immutable dec;

    constructor(MakerVat vat_, bytes32 ilk_, IERC20 gem_) {
        (vat, ilk, gem, dec) = (vat_, ilk_, gem_, IERC20Metadata(address(gem_)).decimals());
    }

    function join(address urn, uint256 amt) external note {
        vat.slip(ilk, urn, int256(amt * 10 ** (18 - dec)));
        gem.safeTransferFrom(msg.sender, address(this), amt);
    }

    function exit(address usr, uint256 amt) external note {
        vat.slip(ilk, msg.sender, -int256(amt * 10 ** (18 - dec)));
        gem.safeTransfer(usr, amt);
    }
}
