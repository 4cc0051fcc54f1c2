// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";

interface IWrapped is IERC20 {
    function deposit() external payable;

    function withdraw(uint256 amount) external;
}

/// Takes native coins into a vault over the wrapped coin, and back out of it.
contract VaultGateway {
    IERC4626 public immutable vault;
    IWrapped public immutable wrapped;

    constructor(IERC4626 vault_) {
        vault = vault_;
        wrapped = IWrapped(vault_.asset());
        wrapped.approve(address(vault_), type(uint256).max);
    }

    receive() external payable {}

    function depositCoins() external payable {
        wrapped.deposit{value: msg.value}();
        vault.deposit(msg.value, msg.sender);
    }

    /// The caller has allowed this contract to take its shares.
    function withdrawCoins(uint256 assets) external {
        vault.withdraw(assets, address(this), msg.sender);
        wrapped.withdraw(assets);
        (bool paid, ) = msg.sender.call{value: assets}("");
        require(paid, "refused");
    }
}
