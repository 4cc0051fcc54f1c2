// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// OpenZeppelin's ERC-4626 vault as it is; what is sent to it beyond deposits is its yield.
contract Vault is ERC4626 {
    constructor(IERC20 asset, string memory name, string memory symbol) ERC20(name, symbol) ERC4626(asset) {}
}
