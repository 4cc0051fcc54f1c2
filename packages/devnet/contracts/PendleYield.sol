// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/**
 * An SY of Pendle over a token that it keeps one for one, with one reward token. Its rate and what it claims to redeem are
 * whatever was set last, as those of any SY may be; `redeem` pays what it has.
 */
contract PendleYield is ERC20 {
    uint256 private constant ONE = 1e18;

    address public immutable yieldToken;
    address private immutable asset;
    address private immutable reward;
    uint256 public exchangeRate = ONE;
    /// Units of the yield token that a share claims, with 18 decimals.
    uint256 public claim = ONE;
    uint256 private reported;
    uint256 private rewardIndex = 1;
    uint256 private rewardKept;
    mapping(address => uint256) private indexOf;
    mapping(address => uint256) private owedTo;

    constructor(address yieldToken_, address asset_, address reward_) ERC20("SY Test Yield", "SY-TEST") {
        yieldToken = yieldToken_;
        asset = asset_;
        reward = reward_;
    }

    function setRate(uint256 rate) external {
        exchangeRate = rate;
    }

    function setClaim(uint256 claimed) external {
        claim = claimed;
    }

    /// What it reports as its supply from then on; the truth if zero.
    function report(uint256 supply) external {
        reported = supply;
    }

    function totalSupply() public view override returns (uint256) {
        return reported == 0 ? super.totalSupply() : reported;
    }

    /// Shares for nothing.
    function conjure(address to, uint256 shares) external {
        _mint(to, shares);
    }

    function assetInfo() external view returns (uint8, address, uint8) {
        return (0, asset, 18);
    }

    function deposit(address receiver, address tokenIn, uint256 amount, uint256) external payable returns (uint256) {
        require(tokenIn == yieldToken, "token");
        IERC20(tokenIn).transferFrom(msg.sender, address(this), amount);
        _mint(receiver, amount);
        return amount;
    }

    function redeem(address receiver, uint256 shares, address tokenOut, uint256, bool isInternal)
        external
        returns (uint256 paid)
    {
        require(tokenOut == yieldToken, "token");
        _burn(isInternal ? address(this) : msg.sender, shares);
        paid = previewRedeem(tokenOut, shares);
        IERC20(tokenOut).transfer(receiver, paid);
    }

    function previewRedeem(address tokenOut, uint256 shares) public view returns (uint256) {
        require(tokenOut == yieldToken, "token");
        return shares * claim / ONE;
    }

    function getTokensOut() external view returns (address[] memory) {
        return listOf(yieldToken);
    }

    function getRewardTokens() public view returns (address[] memory) {
        return listOf(reward);
    }

    function rewardIndexesCurrent() external returns (uint256[] memory indexes) {
        updateIndex();
        indexes = new uint256[](1);
        indexes[0] = rewardIndex;
    }

    function claimRewards(address user) external returns (uint256[] memory amounts) {
        settle(user);
        amounts = new uint256[](1);
        amounts[0] = owedTo[user];
        owedTo[user] = 0;
        rewardKept -= amounts[0];
        IERC20(reward).transfer(user, amounts[0]);
    }

    function _update(address from, address to, uint256 amount) internal override {
        settle(from);
        settle(to);
        super._update(from, to, amount);
    }

    function updateIndex() private {
        uint256 held = IERC20(reward).balanceOf(address(this));
        if (totalSupply() == 0 || held == rewardKept) return;
        rewardIndex += (held - rewardKept) * ONE / totalSupply();
        rewardKept = held;
    }

    function settle(address user) private {
        updateIndex();
        uint256 last = indexOf[user] == 0 ? 1 : indexOf[user];
        owedTo[user] += balanceOf(user) * (rewardIndex - last) / ONE;
        indexOf[user] = rewardIndex;
    }

    function listOf(address token) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = token;
    }
}
