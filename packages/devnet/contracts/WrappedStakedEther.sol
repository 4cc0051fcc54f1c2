// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

interface IStakedEther {
    function submit(address referral) external payable returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function getPooledEthByShares(uint256 amount) external view returns (uint256);
    function getSharesByPooledEth(uint256 amount) external view returns (uint256);
}

/// Lido's wstETH: one unit is one share of stETH.
contract WrappedStakedEther is ERC20 {
    IStakedEther public immutable stETH;

    constructor(IStakedEther staked) ERC20("Wrapped liquid staked Ether 2.0", "wstETH") {
        stETH = staked;
    }

    receive() external payable {
        _mint(msg.sender, stETH.submit{value: msg.value}(address(0)));
    }

    function wrap(uint256 amount) external returns (uint256 wrapped) {
        require(amount > 0, "wstETH: can't wrap zero stETH");
        wrapped = stETH.getSharesByPooledEth(amount);
        _mint(msg.sender, wrapped);
        stETH.transferFrom(msg.sender, address(this), amount);
    }

    function unwrap(uint256 amount) external returns (uint256 unwrapped) {
        require(amount > 0, "wstETH: zero amount unwrap not allowed");
        unwrapped = stETH.getPooledEthByShares(amount);
        _burn(msg.sender, amount);
        stETH.transfer(msg.sender, unwrapped);
    }

    function getWstETHByStETH(uint256 amount) external view returns (uint256) {
        return stETH.getSharesByPooledEth(amount);
    }

    function getStETHByWstETH(uint256 amount) external view returns (uint256) {
        return stETH.getPooledEthByShares(amount);
    }

    function stEthPerToken() external view returns (uint256) {
        return stETH.getPooledEthByShares(1 ether);
    }

    function tokensPerStEth() external view returns (uint256) {
        return stETH.getSharesByPooledEth(1 ether);
    }
}
